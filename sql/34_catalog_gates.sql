-- The gates of the signal. A function returns the reason why a gate is closed, and the view reads
-- it. The renderer, the watch list of the engine, opportunities and ops.explain read the view. Gate
-- 4 (price.judge_price) is decided when a row of the snapshot is rendered; price.signal_gates reads
-- it there.
--
-- The bodies are SQL expressions, not strings: they are bound when they are created, so they need
-- no search_path, and the planner inlines them. The watch list evaluates them for every pair twice
-- a second.

create function catalog.judge_band(p_stage text, p_band text, p_confidence numeric, p_alarm text) returns text
language sql immutable parallel safe
return case
  when p_alarm is not null then 'band.' || p_alarm
  when p_stage <> 'catalog' then 'band.candidate'
  when p_band not in ('EXACT', 'HIGH') then 'band.review'
  when p_confidence < 0.95 then 'band.confidence'
end;
comment on function catalog.judge_band(text, text, numeric, text) is
  'Gate 1: why it is uncertain that both listings ask the same question; null when it is certain. '
  'p_confidence: the lower one; p_alarm: the reason of an open alarm.';

create function catalog.judge_parity(p_confirmed_at timestamptz, p_withdrawn_at timestamptz) returns text
language sql immutable parallel safe
return case
  when p_withdrawn_at is not null then 'parity.withdrawn'
  when p_confirmed_at is null then 'parity.unconfirmed'
end;
comment on function catalog.judge_parity(timestamptz, timestamptz) is
  'Gate 2: why the parity of a rule is not confirmed; null when it is. Both times are columns of '
  'catalog.rules.';

create function catalog.judge_risk(p_blocking_risk text) returns text
language sql immutable parallel safe
return 'risk.' || p_blocking_risk;
comment on function catalog.judge_risk(text) is
  'Gate 3: the code of the high or critical risk of a pair, internal ones (cancel_*) included; '
  'null when there is none.';

create view catalog.match_gates with (security_invoker = true) as
select g.pair_id,
       g.band_reason is null as band_ok,
       g.parity_reason is null as parity_ok,
       g.risk_reason is null as risk_ok,
       concat_ws(', ', g.band_reason, g.parity_reason, g.risk_reason) as reason,
       g.band_reason,
       g.parity_reason,
       g.risk_reason,
       coalesce(g.band_reason, g.parity_reason, g.risk_reason) is null as all_open
from (
  select p.pair_id,
         catalog.judge_band(
           p.stage, p.band, least(p.entity_confidence, p.resolution_confidence), m.reason
         ) as band_reason,
         catalog.judge_parity(r.confirmed_at, r.withdrawn_at) as parity_reason,
         catalog.judge_risk(k.blocking_risk) as risk_reason
  from catalog.pairs p
  left join catalog.rules r on r.rule_id = p.rule_id
  left join catalog.alarms m on m.pair_id = p.pair_id and m.confirmed_at is null
  join catalog.assessments k on k.assessment_id = p.assessment_id
) g;
comment on view catalog.match_gates is
  'Gates 1 to 3 of the signal for each pair. Each *_reason is null when its gate is open. reason '
  'names all closed gates; all_open: none is closed.';
grant select on catalog.match_gates to parallax_api;

revoke all on function
  catalog.judge_band(text, text, numeric, text),
  catalog.judge_parity(timestamptz, timestamptz),
  catalog.judge_risk(text)
from public;
grant execute on function
  catalog.judge_band(text, text, numeric, text),
  catalog.judge_parity(timestamptz, timestamptz),
  catalog.judge_risk(text)
to parallax_api;
