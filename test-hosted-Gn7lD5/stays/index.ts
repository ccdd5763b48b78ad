export default { fetch() {
    EdgeRuntime.waitUntil(new Promise((done) => setTimeout(done, 1_000))); return new Response('at once');
  } };