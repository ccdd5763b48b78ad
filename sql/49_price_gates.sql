-- Why a row is an arb, or why it is not.

create view price.gates
with (security_invoker = true)
as
select s.pair_id, s.signal, g.band_ok, g.parity_ok, g.risk_ok, f.priced_ok,
       concat_ws(
         ', ',
         nullif(g.reason, ''),
         case
           when f.priced_ok then null
           when (s.price_update).void is not null then 'priced.' || (s.price_update).void
           when (s.price_update).frame_no is null then 'priced.never'
           when not s.priced then 'priced.not_trading'
           else 'priced.incomplete'
         end
       ) as reason,
       (s.price_update).void
from price.snapshot s
join catalog.gates g on g.pair_id = s.pair_id
cross join lateral (
  select s.priced and price.priced_ok(
    (select count(*) from catalog.outcomes o where o.pair_id = s.pair_id), (s.price_update).ask_a, (s.price_update).ask_b,
    (s.price_update).bid_a, (s.price_update).bid_b, (s.price_update).void
  ) as priced_ok
) f;
comment on view price.gates is
  'Why a row is an arb or not, at the step that is shown: all four gates must be open. reason names every closed one: band.*, parity.*, risk.<the worst event>, priced.<why the price is withheld> (never, not_trading, incomplete: an ask is missing or a book is crossed).';
