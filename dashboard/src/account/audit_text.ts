import { exactUtc } from '../components/format.ts';
import type { AuditEntry } from './types.ts';

const part = (change: AuditEntry, name: string): string => {
  const value = change.detail?.[name];
  return value === null || value === undefined ? '' : String(value);
};

function plan(change: AuditEntry, name: 'from' | 'to'): string {
  const { tier, status } = (change.detail?.[name] ?? {}) as { tier?: string; status?: string };
  return status === 'inactive' ? `${tier}, inactive` : String(tier);
}

const sentences: Record<string, (change: AuditEntry) => string> = {
  'key.minted': (change) => `Key “${part(change, 'name')}” made (${change.subject}…)`,
  'key.renamed': (change) => `Key “${part(change, 'from')}” renamed to “${part(change, 'to')}”`,
  'key.revoked': (change) => `Key “${part(change, 'name')}” revoked (${change.subject}…)`,
  'key.rotated': (change) =>
    `Key ${change.subject}… rotated to ${part(change, 'to')}…; the old one ends ${exactUtc(part(change, 'expires_at'))}`,
  'member.invited': (change) => `Somebody invited as ${part(change, 'role')}`,
  'member.joined': (change) => `${change.subject} joined as ${part(change, 'role')}`,
  'member.left': (change) => `${change.subject} left`,
  'member.removed': (change) => `${change.subject} removed`,
  'member.role': (change) => `${change.subject} is ${part(change, 'to')} now, was ${part(change, 'from')}`,
  'invitation.withdrawn': () => 'An invitation taken back',
  'plan.changed': (change) => `Plan is ${plan(change, 'to')} now, was ${plan(change, 'from')}`,
  'organization.created': () => 'Organization made',
  'organization.renamed': (change) => `Renamed from “${part(change, 'from')}” to “${part(change, 'to')}”`,
};

/** One line of the audit in words. An action that this page does not know yet is shown as it is called. */
export function auditText(change: AuditEntry): string {
  return sentences[change.action]?.(change) ?? [change.action, change.subject].filter(Boolean).join(' ');
}
