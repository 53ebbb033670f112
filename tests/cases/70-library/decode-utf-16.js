const d = (label, bytes, o) => escape(new TextDecoder(label, o).decode(new Uint8Array(bytes)));
return [d("utf-16le", [65, 0, 0x3d, 0xd8, 0, 0xde]), d("utf-16be", [0, 65, 0xd8, 0x3d, 0xde, 0]), d("utf-16", [0xff, 0xfe, 66, 0]), d("utf-16le", [0x3d, 0xd8]), d("utf-16le", [65, 0, 66]), d("utf-16le", [0, 0xdc, 65, 0])];
