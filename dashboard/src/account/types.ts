/** Rows of schema api as PostgREST returns them. Times are ISO 8601, UTC. */
export type KeyRow = {
  org_id: string;
  key_id: string;
  prefix: string;
  name: string;
  created_at: string;
  expires_at: string | null;
  revoked_at: string | null;
  last_used_at: string | null;
  scope: KeyScope;
  /** How long the key was made to live, null without end. A rotated key lives as long. */
  lifetime_seconds: number | null;
};

export type KeyScope = 'full' | 'read_only';

/** A new key with its text, which only this result contains. */
export type NewKey = { key_id: string; prefix: string; key: string };

export type Usage = {
  org_id: string;
  tier: string;
  status: 'active' | 'inactive';
  window_quota: number;
  window_used: number;
  /** Null when no rate-limit window is open. The next request opens one. */
  window_ends_at: string | null;
  month_quota: number;
  month_used: number;
  month_ends_at: string;
};

export type Member = { user_id: string; email: string; role: 'owner' | 'member'; since: string };

export type AuditEntry = {
  audit_id: string | number;
  org_id: string;
  at: string;
  /** The e-mail at that time, `operator`, or a billing system. */
  actor: string;
  action: string;
  subject: string | null;
  detail: Record<string, unknown> | null;
};

/** An unused invitation. The service does not store its code. */
export type Invitation = { invitation_id: string; role: string; created_at: string; expires_at: string };

/** A row of api.list_sessions. Auth may know neither browser nor address. */
export type SessionRow = {
  session_id: string;
  created_at: string;
  last_used_at: string;
  user_agent: string | null;
  ip: string | null;
  is_current: boolean;
};

/** api.read_account. `outcome`: what the deletion of the account does to the organization. */
export type Account = {
  email: string;
  has_password: boolean;
  /** Whether Auth knows second factors. */
  has_factors: boolean;
  organizations: {
    org_id: string;
    name: string;
    outcome: 'leaves' | 'deletes' | 'blocks';
    members: number;
    keys: number;
  }[];
};
