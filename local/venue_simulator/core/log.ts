/** Standard output carries the one line that says where the venues listen; everything else goes to standard error. */
export function log(message: string): void {
  process.stderr.write(`venues: ${message}\n`);
}
