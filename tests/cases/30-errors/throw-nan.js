throw NaN;
