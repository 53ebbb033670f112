return Array(2 ** 31).join().length;
