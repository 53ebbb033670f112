try {
  new Crypto();
} catch (e) {
  return [e.name, String(crypto), crypto instanceof Crypto, typeof crypto.subtle];
}
