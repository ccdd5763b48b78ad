-- The filters by category and context. All lists of the API, the search and the MCP tools use these
-- functions.

create function price.short_names() returns table (filter text, name text, short text[])
language sql immutable parallel safe
set search_path = ''
as $$
  values
    ('asset', 'Bitcoin', '{btc}'::text[]),
    ('asset', 'Ethereum', '{eth,ether}'),
    ('asset', 'Solana', '{sol}'),
    ('asset', 'XRP', '{ripple}'),
    ('asset', 'Dogecoin', '{doge}'),
    ('asset', 'BNB', '{binance coin}'),
    ('asset', 'Hyperliquid', '{hype}'),
    ('asset', 'Zcash', '{zec}'),
    ('asset', 'Cardano', '{ada}'),
    ('asset', 'Litecoin', '{ltc}'),
    ('asset', 'Bitcoin Cash', '{bch}'),
    ('asset', 'Chainlink', '{link}'),
    ('asset', 'Avalanche', '{avax}'),
    ('asset', 'Polkadot', '{dot}'),
    ('asset', 'Shiba Inu', '{shib}'),
    ('asset', 'Toncoin', '{ton}'),
    ('asset', 'NEAR', '{near protocol}'),
    ('asset', 'Stellar', '{xlm}'),
    ('asset', 'Hedera', '{hbar}'),
    ('asset', 'TRON', '{trx}'),
    ('asset', 'Uniswap', '{uni}'),
    ('asset', 'Ethena', '{ena}'),
    ('asset', 'Monero', '{xmr}'),
    ('asset', 'WTI crude oil', '{wti,crude oil,cl,oil}'),
    ('asset', 'Brent crude oil', '{brent,brent oil,bz,brn}'),
    ('asset', 'Gold', '{xauusd,xau}'),
    ('asset', 'Gold futures', '{gc}'),
    ('asset', 'Silver', '{xagusd,xag}'),
    ('asset', 'Silver futures', '{si}'),
    ('asset', 'Copper', '{hg}'),
    ('asset', 'Natural gas', '{ng,natgas}'),
    ('asset', 'Platinum', '{xptusd,xpt}'),
    ('asset', 'Palladium', '{xpdusd,xpd}'),
    ('institution', 'Federal Reserve', '{fed,fomc}'),
    ('institution', 'European Central Bank', '{ecb}'),
    ('institution', 'Bank of England', '{boe}'),
    ('institution', 'Bank of Japan', '{boj}'),
    ('institution', 'Bank of Canada', '{boc}'),
    ('institution', 'Bank of Mexico', '{banxico}'),
    ('institution', 'Reserve Bank of Australia', '{rba}'),
    ('institution', 'Reserve Bank of New Zealand', '{rbnz}'),
    ('institution', 'Reserve Bank of India', '{rbi}'),
    ('institution', 'Bank of Korea', '{bok}'),
    ('institution', 'Bank of Russia', '{cbr}'),
    ('institution', 'Central Bank of Brazil', '{copom,bcb}'),
    ('institution', 'South African Reserve Bank', '{sarb}'),
    ('institution', 'Swiss National Bank', '{snb}'),
    ('institution', 'Sveriges Riksbank', '{riksbank}'),
    ('institution', 'National Bank of Poland', '{nbp}'),
    ('institution', 'Central Bank of Turkey', '{tcmb,cbrt}'),
    ('institution', 'People''s Bank of China', '{pboc}'),
    ('indicator', 'CPI', '{inflation}'),
    ('indicator', 'PCE price index', '{pce}'),
    ('indicator', 'Core PCE price index', '{core pce}'),
    ('indicator', 'Unemployment rate', '{unemployment,u3}'),
    ('indicator', 'Nonfarm payrolls', '{payrolls,nfp,jobs}'),
    ('indicator', 'ADP employment', '{adp}'),
    ('indicator', 'Real GDP growth', '{gdp}'),
    ('location', 'New York City', '{nyc,new york}'),
    ('location', 'Los Angeles', '{la}'),
    ('location', 'San Francisco', '{sf}'),
    ('location', 'Washington, D.C.', '{dc,washington,washington dc}')
$$;
comment on function price.short_names() is
  'Short names that a filter accepts for a name of the catalog, in lower case. A test compares '
  'the names with the registry of the parsers.';

create function price.filter_condition(p_filters jsonb) returns text
language plpgsql stable
set search_path = ''
as $$
declare
  v_column text;
  v_given text;
  v_condition text := '';
begin
  foreach v_column in array array[
    'category', 'sport', 'competition', 'location', 'asset', 'indicator', 'basis', 'institution'
  ] loop
    v_given := lower(p_filters ->> v_column);
    continue when v_given is null;
    v_condition := v_condition || format(
      ' and lower(s.%I) = any (%L::text[])',
      v_column,
      array(
        select v_given
        union
        select lower(n.name)
        from price.short_names() n
        where n.filter = v_column and v_given = any (n.short)
      )
    );
  end loop;
  return v_condition;
end
$$;
comment on function price.filter_condition(jsonb) is
  'SQL that is true of a row s of price.snapshot that matches these filters {category, sport, …}, '
  'in any case and by short names; empty without filters. Values are quoted literals.';

-- price.search_snapshot also runs both, as the owner.
grant execute on function price.short_names(), price.filter_condition(jsonb) to parallax_api;
