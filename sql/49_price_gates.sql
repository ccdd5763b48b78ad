-- Why a row is an arb, or why it is not.

create view price.signal_gates
with (security_invoker = true)
as
select s.pair_id, s.signal, g.band_ok, g.parity_ok, g.risk_ok,
       s.price_reason is null as priced_ok,
       concat_ws(', ', nullif(g.reason, ''), s.price_reason) as reason,
       (s.price_update).void_reason,
       s.price_reason
from price.snapshot s
join catalog.match_gates g on g.pair_id = s.pair_id;
comment on view price.signal_gates is
  'Why a row is an arb or not, at the step that is shown: all four gates must be open, and reason names every closed one.';
