/** Sends to the parent of this process. A parent that has just ended the child hears nothing more. */
export function sendToParent(message: object): void {
  if (process.connected) process.send?.(message, undefined, undefined, () => {});
}
