-- Why a row of the snapshot is an arb or not.

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
  'The four gates of each row at the step of the snapshot. Its signal is arb when all are open; '
  'reason names all closed gates.';
