// The health check of a container (Dockerfile, compose.yaml): exits with 0 where the URL in its
// argument answers 200, and otherwise with 1 and the answer.

const [url = ''] = Deno.args;
const response = await fetch(url, { signal: AbortSignal.timeout(4_000) });
console.log(await response.text());
Deno.exit(response.status === 200 ? 0 : 1);
