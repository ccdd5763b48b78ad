/** Standard output has one line with the addresses. All other output goes to standard error. */
export function log(message: string): void {
  process.stderr.write(`venues: ${message}\n`);
}
