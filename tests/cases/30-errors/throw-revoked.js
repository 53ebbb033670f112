throw (() => { const p = Proxy.revocable({}, {}); p.revoke(); return p.proxy; })();
