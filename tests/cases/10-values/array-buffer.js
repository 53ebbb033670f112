return new ArrayBuffer(2);
