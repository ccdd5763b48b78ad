/** The places that parties (an organization, a signed-in person) hold. */
export class Places {
  /** Places of all parties. */
  taken = 0;
  readonly #takenBy = new Map<string, number>();

  of(party: string): number {
    return this.#takenBy.get(party) ?? 0;
  }

  add(party: string, change: 1 | -1): void {
    const own = this.of(party) + change;
    this.taken += change;
    if (own === 0) this.#takenBy.delete(party);
    else this.#takenBy.set(party, own);
  }
}
