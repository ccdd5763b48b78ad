/** The attackers of items 1 to 3 of SECURITY.md's availability, and the receivers that hang. */
export const ATTACK_NAMES = ['stream', 'rest', 'mcp', 'venue', 'receivers'] as const;
export type AttackName = (typeof ATTACK_NAMES)[number];
