const all = []; export default { async fetch() {
    for (;;) { all.push(new Uint8Array(8_000_000).fill(1)); await new Promise((next) => setTimeout(next, 5)); }
  } };