await Promise.reject(new RangeError("late"));
