/**
 * Injects one fault into the simulator over HTTP. Returns 200, or 409 when the fault found no
 * target.
 */
export async function injectFault(simulatorUrl: string, fault: Record<string, unknown>): Promise<number> {
  const answer = await fetch(`${simulatorUrl}/fault`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(fault),
  });
  await answer.text();
  return answer.status;
}
