-- Why a row is an arb, or why it is not.

create view price.gates
with (security_invoker = true)
as
select s.pair_id, s.signal, g.band_ok, g.parity_ok, g.risk_ok,
       price.priced_ok(
         (select count(*) from catalog.outcomes o where o.pair_id = s.pair_id), s.ask_a, s.ask_b, s.bid_a, s.bid_b, s.void
       ) as priced_ok,
       g.reason,
       s.void
from price.snapshot s
join catalog.gates g on g.pair_id = s.pair_id;
comment on view price.gates is 'Why a row is an arb or not, at the step that is shown: all four gates must be open. reason names the closed ones of the first three, void tells why a price is withheld.';
