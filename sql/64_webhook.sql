-- Schema webhook: signed POSTs to the endpoints of organizations, and the history of deliveries.
-- Endpoints and deliveries use real time. Prices decide when an event fires, so that is market time
-- (66_webhook_triggers.sql).

create schema webhook;
revoke all on schema webhook from public;
grant usage on schema webhook to parallax_api, authenticated;

create table webhook.settings (
  singleton boolean primary key default true check (singleton),
  allowed_hosts text[] not null default '{}',
  local_inbox text check (local_inbox ~ '^http://127\.0\.0\.1:[1-9][0-9]{0,4}/inbox/$'),
  keep interval not null default interval '7 days',
  inline_deliveries integer not null default 500 check (inline_deliveries >= 0),
  lease interval not null default interval '15 seconds' check (lease > interval '5 seconds'),
  backlog integer not null default 1000 check (backlog > 0)
);
comment on table webhook.settings is 'The one row of settings.';
comment on column webhook.settings.allowed_hosts is
  'host:port of receivers without a public address, for npm start -- --webhook-allow. Empty when '
  'hosted.';
comment on column webhook.settings.local_inbox is
  'The inbox of npm start, the one receiver without TLS. Only npm start sets it. It and '
  'allowed_hosts are all that relaxes the address check.';
comment on column webhook.settings.inline_deliveries is
  'Deliveries that the firing transaction writes itself, about 0.05 ms each. The senders write '
  'the rest (webhook.fan_out_events).';
comment on column webhook.settings.backlog is
  'Deliveries that may wait for one endpoint. The oldest above it fail with last_error backlog '
  '(webhook.bound_backlogs).';
comment on column webhook.settings.lease is
  'How long a sender holds a claimed delivery: 5 s for the attempt, the rest for its result. '
  'Without a result it is sent again.';
insert into webhook.settings (singleton) values (true) on conflict do nothing;

create table webhook.endpoints (
  endpoint_id uuid primary key default gen_random_uuid(),
  org_id uuid not null references account.organizations (org_id) on delete cascade,
  url text not null,
  events text[] not null check (
    cardinality(events) > 0 and events <@ array['pair.created', 'spread.threshold', 'opportunity.opened']
  ),
  min_spread_pts numeric check (min_spread_pts between 0.5 and 50),
  min_edge_pct numeric check (min_edge_pct between 0 and 100),
  min_profit_usd numeric check (min_profit_usd between 0 and 1000000),
  secret_id uuid not null,
  secret_preview text not null,
  previous_secret_id uuid,
  previous_secret_until timestamptz,
  failure_count integer not null default 0 check (failure_count >= 0),
  last_success_at timestamptz,
  last_failure_at timestamptz,
  disabled_at timestamptz,
  disabled_reason text check ((disabled_reason is null) = (disabled_at is null)),
  is_responding boolean not null default true,
  created_at timestamptz not null default clock_timestamp(),
  subscribed_at timestamptz not null default clock_timestamp(),
  check (('spread.threshold' = any (events)) = (min_spread_pts is not null)),
  check ((previous_secret_id is null) = (previous_secret_until is null)),
  check ('opportunity.opened' = any (events) or (min_edge_pct is null and min_profit_usd is null))
) with (fillfactor = 50);
comment on table webhook.endpoints is
  'Receivers of deliveries. A disabled endpoint stays until it is deleted, and counts in the '
  'limit of the plan.';
comment on column webhook.endpoints.min_edge_pct is
  'opportunity.opened fires from this edge_pct and this profit (min_profit_usd) on; null: any.';
comment on column webhook.endpoints.secret_id is
  'Id of the signing secret in the Vault. Only the response to the registration contains the '
  'secret; signatures are made in SQL.';
comment on column webhook.endpoints.previous_secret_id is
  'The secret before the last roll. Until previous_secret_until deliveries have its signature too.';
comment on column webhook.endpoints.failure_count is
  'Deliveries that failed since the last success. At 20 the endpoint is disabled.';
comment on column webhook.endpoints.is_responding is
  'Whether the last attempt got a 2xx response. Otherwise it gets fewer deliveries at once '
  '(webhook.claim_deliveries).';
comment on column webhook.endpoints.subscribed_at is
  'When it was registered, enabled again, or its events or thresholds last changed. Observations '
  'from before do not count for it.';
create index endpoints_by_org on webhook.endpoints (org_id);
create index endpoints_by_threshold on webhook.endpoints (min_spread_pts, endpoint_id)
  where disabled_at is null and min_spread_pts is not null;
create index endpoints_for_opportunities on webhook.endpoints (endpoint_id)
  where disabled_at is null and 'opportunity.opened' = any (events);
create index endpoints_newest on webhook.endpoints (subscribed_at)
  where disabled_at is null and min_spread_pts is not null;

create table webhook.deliveries (
  delivery_id uuid primary key default gen_random_uuid(),
  endpoint_id uuid not null references webhook.endpoints (endpoint_id) on delete cascade,
  event text not null check (event in ('pair.created', 'spread.threshold', 'opportunity.opened', 'ping')),
  pair_id uuid,
  body text not null,
  state text not null default 'waiting' check (state in ('waiting', 'delivered', 'failed', 'dropped')),
  attempts smallint not null default 0,
  due_at timestamptz default clock_timestamp() check ((due_at is not null) = (state = 'waiting')),
  claim uuid,
  last_status smallint,
  last_error text,
  last_answer text,
  last_took_ms integer,
  created_at timestamptz not null default clock_timestamp(),
  finished_at timestamptz
) with (fillfactor = 70);
comment on table webhook.deliveries is
  'The outbox and the delivery history, kept for webhook.settings.keep. A row is written in the '
  'transaction that fires the event, with the bytes of every attempt.';
comment on column webhook.deliveries.state is
  'waiting: for an attempt or its result; delivered; failed: after four attempts, or backlog; '
  'dropped: the endpoint was disabled or paused meanwhile.';
comment on column webhook.deliveries.attempts is
  'Attempts with a result. The attempt of a sender that died is not counted and is repeated.';
comment on column webhook.deliveries.due_at is
  'When the next attempt is due; during an attempt, when its lease expires.';
comment on column webhook.deliveries.claim is
  'The attempt in progress. A result with another claim is late and changes nothing.';
comment on column webhook.deliveries.last_status is
  'HTTP status of the last attempt; null when it got no response (last_error has the reason).';
comment on column webhook.deliveries.last_answer is
  'The first 200 characters of the last response body, which is foreign text; null without one.';
create index deliveries_due on webhook.deliveries (endpoint_id, due_at) include (claim) where due_at is not null;
create index deliveries_to_retry on webhook.deliveries (endpoint_id, due_at) where due_at is not null and attempts > 0;
create index deliveries_by_due on webhook.deliveries (due_at) where due_at is not null;
create index deliveries_by_endpoint on webhook.deliveries (endpoint_id, created_at desc);
create index deliveries_by_age on webhook.deliveries (created_at) where due_at is null;

alter table webhook.settings enable row level security;
alter table webhook.settings force row level security;
alter table webhook.endpoints enable row level security;
alter table webhook.endpoints force row level security;
alter table webhook.deliveries enable row level security;
alter table webhook.deliveries force row level security;
create policy "the admitted organization reads its endpoints" on webhook.endpoints
  for select to parallax_api using (org_id = (select account.current_org()));
create policy "members read their endpoints" on webhook.endpoints
  for select to authenticated using (org_id in (select account.current_user_orgs()));
-- The policies of webhook.endpoints apply in the subquery, so each role counts only deliveries of
-- its own endpoints.
create policy "readers of an endpoint count its deliveries" on webhook.deliveries
  for select to parallax_api, authenticated using (endpoint_id in (select e.endpoint_id from webhook.endpoints e));
grant select (endpoint_id, due_at) on webhook.deliveries to parallax_api, authenticated;
grant select (
  endpoint_id, org_id, url, events, min_spread_pts, min_edge_pct, min_profit_usd, secret_preview, previous_secret_until,
  failure_count, last_success_at, last_failure_at, disabled_at, disabled_reason, created_at
) on webhook.endpoints to parallax_api, authenticated;

create function webhook.delete_secret() returns trigger
language plpgsql security definer
set search_path = ''
as $$
begin
  delete from vault.secrets s where s.id in (old.secret_id, old.previous_secret_id);
  return null;
end
$$;
comment on function webhook.delete_secret() is
  'Trigger: deletes the secrets of a deleted endpoint. A trigger, because endpoints are also '
  'deleted with their organization.';
create trigger delete_secret after delete on webhook.endpoints
  for each row execute function webhook.delete_secret();
revoke all on function webhook.delete_secret() from public;

create view webhook.endpoint_summaries with (security_invoker = true) as
select e.org_id,
       e.endpoint_id as id,
       e.url,
       e.events,
       e.min_spread_pts::float8 as min_spread_pts,
       e.min_edge_pct::float8 as min_edge_pct,
       e.min_profit_usd::float8 as min_profit_usd,
       e.secret_preview,
       base.format_time(case when e.previous_secret_until > clock_timestamp() then e.previous_secret_until end)
         as previous_secret_until,
       case
         when e.disabled_at is not null then 'disabled'
         -- Not stored, because it follows from the plan.
         when t.webhook_endpoints = 0 or s.status <> 'active' then 'paused'
         else 'enabled'
       end as status,
       e.disabled_reason,
       e.failure_count,
       -- Deliveries that wait for an attempt or for its result.
       (
         select count(*)::integer from webhook.deliveries d where d.endpoint_id = e.endpoint_id and d.due_at is not null
       ) as pending,
       base.format_time(e.last_success_at) as last_success_at,
       base.format_time(e.last_failure_at) as last_failure_at,
       base.format_time(e.created_at) as created_at
from webhook.endpoints e
join account.subscriptions s on s.org_id = e.org_id
join account.tiers t on t.tier = s.tier;
comment on view webhook.endpoint_summaries is
  'Endpoints as their organization reads them. paused: the plan has no webhooks or is not active; '
  'deliveries continue when it has them again.';
grant select on webhook.endpoint_summaries to parallax_api, authenticated;
