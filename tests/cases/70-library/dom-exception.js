throw new DOMException("no such thing", "NotFoundError");
