import type { Doors } from './database.ts';

const TTL_SECONDS = 10;

/** The leases of one shift: held ones with their tokens, and those that it warms up for. */
export class Leases {
  private readonly doors: Doors;
  readonly holder = crypto.randomUUID();
  readonly held = new Map<string, string>();
  /** Slices that it reads beside a holder that is about to end, and since when (real ms). */
  readonly warming = new Map<string, number>();
  private endsAt: Date | null;

  /** `endsAt`: when this shift plans to stop, null for never. */
  constructor(doors: Doors, endsAt: Date | null) {
    this.doors = doors;
    this.endsAt = endsAt;
  }

  holds(name: string): boolean {
    return this.held.has(name);
  }

  count(prefix: string): number {
    let count = 0;
    for (const name of this.held.keys()) if (name.startsWith(prefix)) count += 1;
    return count;
  }

  /** How many it warms up for. Each is settled by `takeOver`, one way or the other. */
  beside(prefix: string): number {
    let count = 0;
    for (const name of this.warming.keys()) if (name.startsWith(prefix)) count += 1;
    return count;
  }

  tokens(prefix = ''): Record<string, string> {
    return Object.fromEntries([...this.held].filter(([name]) => name.startsWith(prefix)));
  }

  /** Takes what is free, up to `most` in all. Returns the names that are newly held. */
  async claim(prefix: string, most: number, now: number): Promise<string[]> {
    const room = most - this.count(prefix) - this.beside(prefix);
    if (room <= 0) return [];
    const leases = await this.doors.claim(this.holder, prefix, room, TTL_SECONDS, this.endsAt);
    const taken: string[] = [];
    const warm = new Set<string>();
    for (const { name, token, warm: beside } of leases) {
      if (beside) {
        warm.add(name);
        if (!this.warming.has(name)) this.warming.set(name, now);
      } else {
        this.held.set(name, token);
        this.warming.delete(name);
        taken.push(name);
      }
    }
    // Somebody else's now, or its holder goes on after all.
    for (const name of [...this.warming.keys()])
      if (name.startsWith(prefix) && !warm.has(name)) this.warming.delete(name);
    return taken;
  }

  /** The warm slice becomes ours. False when somebody else has it. */
  async takeOver(name: string): Promise<boolean> {
    const token = await this.doors.takeOver(this.holder, name, TTL_SECONDS, this.endsAt);
    this.warming.delete(name);
    if (token === null) return false;
    this.held.set(name, token);
    return true;
  }

  /** Returns the names that were lost. */
  async renew(): Promise<string[]> {
    if (this.held.size === 0) return [];
    const asked = this.tokens();
    const still = await this.doors.renew(this.holder, asked, TTL_SECONDS);
    return this.lose((name) => name in asked && !still.has(name));
  }

  /** This shift ends soon: others may warm up beside it, and one is called. */
  async announceEnd(endsAt: Date): Promise<void> {
    this.endsAt = endsAt;
    await this.doors.announceEnd(this.holder, this.tokens(), endsAt);
  }

  /** Forgets what the database no longer says is ours. Returns the names. */
  lose(isLost: (name: string) => boolean): string[] {
    const lost = [...this.held.keys()].filter(isLost);
    for (const name of lost) this.held.delete(name);
    return lost;
  }

  /** Gives back what begins so; everything at the end. Where listings are left to read, somebody is called to go on at once. */
  async release(prefix = ''): Promise<void> {
    const tokens = this.tokens(prefix);
    for (const name of Object.keys(tokens)) this.held.delete(name);
    for (const name of [...this.warming.keys()]) if (name.startsWith(prefix)) this.warming.delete(name);
    if (Object.keys(tokens).length > 0) await this.doors.release(this.holder, tokens);
  }
}
