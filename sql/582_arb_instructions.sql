-- What to buy, in one sentence: the contract, its side and the outcome on which it pays. REST, the
-- stream, MCP and the dashboard use this sentence and make none of their own.

create function arb.name_contracts(p_legs jsonb) returns jsonb
language sql stable
set search_path = ''
as $$
  select jsonb_agg(
    l.leg || jsonb_strip_nulls(jsonb_build_object(
      'label', case l.leg ->> 'venue' when 'venue_a' then coalesce(c.label, m.title) else c.label end,
      'question', case l.leg ->> 'venue' when 'venue_b' then m.title end
    ))
    order by l.place
  )
  from jsonb_array_elements(p_legs) with ordinality as l (leg, place)
  left join venue.contracts c on c.venue = l.leg ->> 'venue' and c.contract_id = l.leg ->> 'contract'
  left join venue.markets m on m.venue = c.venue and m.market_id = c.market_id
$$;
comment on function arb.name_contracts(jsonb) is
  'Adds the venue''s names to each leg of a state: label, and on venue_b the question of the '
  'market. A closed opportunity keeps them.';

create function arb.contract_label(p_label text, p_question text) returns text
language sql immutable
set search_path = ''
as $$
  -- The label of a token alone ("Yes", "Under") does not identify a contract: many markets have it.
  select case
    when p_question is null then p_label
    when p_label is null then p_question
    when p_question like '%?' then p_question || ' ' || p_label
    else p_question || ': ' || p_label
  end
$$;
comment on function arb.contract_label(text, text) is
  'The venue''s own name of a contract: the label on venue_a, question and token label on '
  'venue_b. Null when the venue gives none.';

create function arb.shorten(p_text text, p_limit integer) returns text
language sql immutable
set search_path = ''
as $$ select case when length(p_text) > p_limit then left(p_text, p_limit - 1) || '…' else p_text end $$;
comment on function arb.shorten(text, integer) is
  'A name of at most p_limit characters, so that a long name does not hide the payoff at the end '
  'of the sentence.';

create function arb.pays_when(p_pair catalog.pairs, p_key text, p_name text) returns text
language sql immutable
set search_path = ''
as $$
  select case
    when p_pair.market_type = 'moneyline' and p_key = 'draw' then 'if it is a draw'
    when p_pair.market_type = 'moneyline' then 'if ' || n.name || ' wins'
    when p_pair.market_type = 'advance' then 'if ' || n.name || ' wins the series'
    when p_pair.market_type = 'spread' then 'if ' || n.name || ' covers'
    when p_pair.market_type = 'total' and p_key in ('over', 'under') and p_pair.line is not null
      then 'if the total is ' || p_key || ' ' || trim_scale(p_pair.line)
    -- For the other families the title states the condition; a generated phrase might be wrong.
    else 'on "' || n.name || '" in "' || arb.shorten(p_pair.title, 120) || '"'
  end
  from (select arb.shorten(coalesce(p_name, p_key), 80) as name) n
$$;
comment on function arb.pays_when(catalog.pairs, text, text) is
  'When an outcome of this pair pays, to follow "Pays $1". It names outcome and market when no '
  'plain phrase is certain to be right.';

create function arb.instruction(
  p_venue text, p_side text, p_contract text, p_label text, p_question text, p_pays_when text
) returns text
language sql immutable
set search_path = ''
as $$
  select 'Buy ' || case
    when p_venue = 'venue_a' then upper(p_side) || ' on ' || p_contract || coalesce(' (' || n.label || ')', '')
    when n.label is null then 'token ' || n.token
    else n.label || coalesce(' on "' || n.question || '"', '') || ' (token ' || n.token || ')'
  end || '. Pays $1 ' || p_pays_when
  from (
    select case when lower(p_label) in ('yes', 'no') then upper(p_label) else arb.shorten(p_label, 80) end as label,
           arb.shorten(p_question, 120) as question,
           case
             when length(p_contract) > 24 then left(p_contract, 8) || '…' || right(p_contract, 4)
             else p_contract
           end as token
  ) n
$$;
comment on function arb.instruction(text, text, text, text, text, text) is
  'The sentence that states what to buy: the contract by label and id, YES or NO, and when it '
  'pays $1. Names are the text of the venues.';

grant execute on function
  arb.contract_label(text, text),
  arb.shorten(text, integer),
  arb.pays_when(catalog.pairs, text, text),
  arb.instruction(text, text, text, text, text, text)
to parallax_api;
