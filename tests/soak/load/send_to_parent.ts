/** Sends to the parent of this process, unless it has closed the channel. */
export function sendToParent(message: object): void {
  if (process.connected) process.send?.(message, undefined, undefined, () => {});
}
