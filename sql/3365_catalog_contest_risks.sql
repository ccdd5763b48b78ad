-- How two contracts on an election, an award, a chart or spoken words may settle
-- differently (functions/ingest/identity/outright/contest_terms.ts). 337_catalog_risks.sql explains
-- the severities.
--
-- No such pair is published, so no settled history measures these cases. The severities follow from
-- what is known (venues.md G, 2026-11-23): one venue paid a last price where the other paid $1
-- twice in a year, so who decides and what happens without a result are high. A text that is silent
-- is reported too, because the venue then decides for itself.

-- kind limits a row to one kind of contest. differs: both texts state the term, and not the same;
-- one_sided: one text does; silent: neither does. null is no risk.
create function catalog.contest_risk_grades()
returns table (kind text, term text, event text, differs text, one_sided text, silent text, opening text)
language sql immutable
set search_path = ''
as $$
  values
    ('election', 'decided_by', 'election_call', 'high', 'medium', 'medium', 'Who decides the election'),
    ('election', 'recount', 'election_recount', 'medium', 'medium', 'low', 'A recount'),
    ('election', 'runoff', 'election_runoff', 'high', 'medium', 'low', 'A runoff or second round'),
    ('election', 'special', 'special_election', 'critical', 'low', null, 'Regular or special election'),
    ('election', 'withdrawal', 'candidate_withdrawal', 'high', 'medium', 'low', 'A candidate who withdraws'),
    ('election', 'affiliation', 'party_affiliation', 'medium', 'low', 'low', 'The party of the winner'),
    ('election', 'deadline', 'settlement_deadline', 'medium', 'medium', 'low', 'No result in time'),
    ('election', 'other', 'other_outcome', 'medium', 'medium', null, 'A winner who is not listed'),
    ('award', 'deadline', 'settlement_deadline', 'medium', 'medium', 'low', 'No result in time'),
    ('award', 'cancelled', 'event_cancelled', 'high', 'medium', 'low', 'An award that is not given'),
    ('award', 'other', 'other_outcome', 'medium', 'medium', null, 'A winner who is not listed'),
    ('chart', 'source', 'settlement_source', 'high', 'medium', 'medium', 'Source'),
    ('chart', 'cut_off', 'settlement_time', 'medium', 'medium', 'low', 'When the chart is read'),
    ('chart', 'revisions', 'revised_figures', 'medium', 'medium', 'low', 'A chart that is corrected later'),
    ('chart', 'deadline', 'settlement_deadline', 'medium', 'medium', 'low', 'No result in time'),
    ('chart', 'other', 'other_outcome', 'medium', 'medium', null, 'A winner that is not listed'),
    ('mention', 'forms', 'word_forms', 'high', 'high', 'high', 'Other forms of the word'),
    ('mention', 'compound', 'compound_words', 'high', 'medium', 'medium', 'The word inside a compound'),
    ('mention', 'transcript', 'transcript_source', 'medium', 'medium', 'medium', 'What proves the words'),
    ('mention', 'cancelled', 'event_cancelled', 'high', 'medium', 'medium', 'An event that does not take place'),
    ('mention', 'deadline', 'settlement_deadline', 'medium', 'medium', null, 'No result in time'),
    ('list', 'deadline', 'settlement_deadline', 'medium', 'medium', 'low', 'No result in time'),
    ('list', 'other', 'other_outcome', 'medium', 'medium', null, 'A result that is not listed')
$$;
comment on function catalog.contest_risk_grades() is
  'The risk of each term of an election, an award, a chart or words, with its severities. The '
  'comment above the function explains the columns.';

create function catalog.describe_contest_term(p_term text, p_value text) returns text
language sql immutable
set search_path = ''
as $$
  select case
    when p_value is null then 'does not say'
    when p_term = 'decided_by'
      then 'goes by ' || (
        select string_agg(
          case s.step
            when 'called' then 'the call of the media'
            when 'certified' then 'the official or certified result'
            else 'who takes office'
          end,
          ', then ' order by s.place
        )
        from string_to_table(p_value, '+') with ordinality as s (step, place)
      )
    when p_term = 'deadline' then 'has its last day on ' || p_value
    when p_term = 'cut_off' then 'reads it at ' || p_value
    when p_term = 'source' then 'goes by ' || catalog.describe_source(p_value)
    else coalesce(
      case p_term || ' ' || p_value
        when 'runoff first_round' then 'counts the first round alone'
        when 'runoff included' then 'counts it'
        when 'special special' then 'names a special election'
        when 'special regular' then 'names the regular election'
        when 'affiliation caucus' then 'goes by the caucus that the winner joins'
        when 'affiliation nominee' then 'goes by the party that nominated the winner'
        when 'affiliation member' then 'goes by the membership of the winner'
        when 'revisions ignored' then 'ignores it'
        when 'revisions latest' then 'takes the corrected chart'
        when 'forms plural_and_possessive' then 'counts plural and possessive forms'
        when 'forms exact' then 'counts the exact words alone'
        when 'compound included' then 'counts it'
        when 'compound excluded' then 'does not count it'
        when 'transcript video_then_transcript' then 'goes by video and transcripts'
        when 'transcript video' then 'goes by video'
        when 'transcript transcript' then 'goes by a transcript'
      end,
      case p_value
        when 'other' then 'resolves to Other'
        when 'waits' then 'waits for it'
        when 'named' then 'names the case'
        else catalog.describe_payout(p_value)
      end
    )
  end
$$;
comment on function catalog.describe_contest_term(text, text) is
  'What the text of a contract on an election, an award, a chart or words states, for a note.';

create function catalog.contest_risks(p_facts jsonb) returns table (event text, severity text, note text)
language sql stable
set search_path = ''
as $$
  with contests as (
    select p_facts #> '{a,contest}' as a, p_facts #> '{b,contest}' as b
  ), graded as (
    select g.event, g.opening, g.term, c.a ->> g.term as term_a, c.b ->> g.term as term_b,
           case
             when c.a ->> g.term = c.b ->> g.term then null
             when c.a ? g.term and c.b ? g.term then g.differs
             -- A text that names a special election next to one that names none may be another
             -- election. The regular election is what a text without a word about it means.
             when g.term = 'special' and 'special' in (c.a ->> g.term, c.b ->> g.term) then 'high'
             when g.term = 'special' then null
             when c.a ? g.term or c.b ? g.term then g.one_sided
             else g.silent
           end as severity
    from contests c
    join catalog.contest_risk_grades() g
      on g.kind = case when c.a -> 'kind' = c.b -> 'kind' then c.a ->> 'kind' else 'list' end
    where c.a is not null
      and c.b is not null
  )
  select g.event, g.severity,
         format(
           '%s: venue_a %s; venue_b %s: %s', g.opening, catalog.describe_contest_term(g.term, g.term_a),
           catalog.describe_contest_term(g.term, g.term_b), catalog.result_money()
         )
  from graded g
  where g.severity is not null
$$;
comment on function catalog.contest_risks(jsonb) is
  'Part of catalog.risks_of: elections, awards, charts and spoken words. Both texts silent is a '
  'risk of its own.';
