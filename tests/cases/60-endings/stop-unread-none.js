queueMicrotask(function again() { queueMicrotask(again); });
