#!/usr/bin/env -S torno run
throw new Error("at 2");
