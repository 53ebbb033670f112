const f = (
