/** Springs one trap of the simulator over HTTP, as anybody would. 200: something was hit, 409: there was nothing to hit. */
export async function pull(sim: string, order: Record<string, unknown>): Promise<number> {
  const answer = await fetch(`${sim}/trap`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(order),
  });
  await answer.text();
  return answer.status;
}
