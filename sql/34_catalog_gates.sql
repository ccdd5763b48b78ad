-- The gates of the signal, a column each, so that anyone can ask why a row is not an arb. The fourth (both venues priced on every
-- outcome, in a fresh, uncrossed frame) is room price's.

create view catalog.gates with (security_invoker = true) as
select p.pair_id,
       p.stage = 'catalog' and p.band in ('EXACT', 'HIGH') and least(p.entity_confidence, p.resolution_confidence) >= 0.95 as band_ok,
       r.confirmed_at is not null and r.withdrawn_at is null as parity_ok,
       k.worst is null as risk_ok,
       concat_ws(
         ', ',
         case
           when m.reason is not null then 'band.' || m.reason
           when p.stage <> 'catalog' then 'band.candidate'
           when p.band not in ('EXACT', 'HIGH') then 'band.review'
           when least(p.entity_confidence, p.resolution_confidence) < 0.95 then 'band.confidence'
         end,
         case
           when r.withdrawn_at is not null then 'parity.withdrawn'
           when r.confirmed_at is null then 'parity.unconfirmed'
         end,
         'risk.' || k.worst
       ) as reason
from catalog.pairs p
left join catalog.rules r on r.rule_id = p.rule_id
left join catalog.alarms m on m.pair_id = p.pair_id and m.confirmed_at is null
-- Internal events (cancel_*) count here as any other.
join catalog.judgements k on k.judgement_id = p.judgement_id;
comment on view catalog.gates is
  'Gates 1 to 3 of the signal for each pair: band_ok (published, EXACT or HIGH, both confidences at least 0.95), parity_ok (its resolution rule is confirmed), risk_ok (no high or critical risk, internal ones included); reason names the closed ones, empty when all are open.';
grant select on catalog.gates to parallax_api;
