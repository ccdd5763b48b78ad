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

/** Of a key whose power or life is limited. */
function limits(change: AuditEntry): string {
  const expires = part(change, 'expires_at');
  return (part(change, 'scope') === 'read_only' ? ', read-only' : '') + (expires && `, expires ${exactUtc(expires)}`);
}

const sentences: Record<string, (change: AuditEntry) => string> = {
  'key.minted': (change) => `Created key “${part(change, 'name')}” (${change.subject}…)${limits(change)}`,
  'key.renamed': (change) => `Renamed key “${part(change, 'from')}” to “${part(change, 'to')}”`,
  'key.revoked': (change) => `Revoked key “${part(change, 'name')}” (${change.subject}…)`,
  'key.rotated': (change) =>
    `Rotated key ${change.subject}… to ${part(change, 'to')}…; the old key expires ${exactUtc(part(change, 'expires_at'))}`,
  'member.invited': (change) => `Created an invitation (role: ${part(change, 'role')})`,
  'member.joined': (change) => `${change.subject} joined (role: ${part(change, 'role')})`,
  'member.left': (change) => `${change.subject} left`,
  'member.removed': (change) => `Removed ${change.subject}`,
  'member.role': (change) => `Changed role of ${change.subject} from ${part(change, 'from')} to ${part(change, 'to')}`,
  'invitation.withdrawn': () => 'Withdrew an invitation',
  'organization.operator': ({ subject }) => `Turned the review of the catalog ${subject}`,
  'organization.leases': ({ subject }) => `Set request leases to ${subject} % of the rate-limit window`,
  'plan.changed': (change) => `Changed plan from ${plan(change, 'from')} to ${plan(change, 'to')}`,
  'organization.created': () => 'Created the organization',
  'organization.renamed': (change) =>
    `Renamed the organization from “${part(change, 'from')}” to “${part(change, 'to')}”`,
};

/** An audit entry as a sentence. An unknown action falls back to its code and subject. */
export function auditText(change: AuditEntry): string {
  return sentences[change.action]?.(change) ?? [change.action, change.subject].filter(Boolean).join(' ');
}
