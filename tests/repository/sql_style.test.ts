import { describe, expect, it } from 'vitest';
import { formatSql } from '../../local/sql_style/format.ts';
import { lintSql } from '../../local/sql_style/lint.ts';

/** A table and a function without a fault. */
const clean = `create table shop.orders (
  order_id bigint primary key,
  paid_at timestamptz
);
comment on table shop.orders is 'One order each.';
alter table shop.orders enable row level security;
alter table shop.orders force row level security;

create function shop.pay(p_order_id bigint) returns boolean
language plpgsql volatile
set search_path = ''
as $$
declare
  v_found boolean;
begin
  update shop.orders o
  set paid_at = clock_timestamp()
  where o.order_id = p_order_id
  returning true into v_found;
  return coalesce(v_found, false);
end
$$;
comment on function shop.pay(bigint) is 'Marks an order as paid. Returns false when there is none.';
`;

const rulesOf = (text: string) => lintSql([{ name: 'shop.sql', text }]).map(({ line, rule }) => `${line} ${rule}`);

describe('the SQL formatter', () => {
  it('leaves formatted SQL as it is', () => {
    expect(formatSql(clean)).toBe(clean);
  });

  it('restores indentation, spaces and lower case in statements and in PL/pgSQL bodies', () => {
    const untidy = clean
      .replace('  v_found boolean', '      V_FOUND   BOOLEAN')
      .replace('  set paid_at', 'SET paid_at')
      .replace('(p_order_id bigint)', '( p_order_id   bigint )');
    expect(untidy).not.toBe(clean);
    expect(formatSql(untidy)).toBe(clean);
  });

  it('puts each clause of a query on a line of its own once the query has several lines', () => {
    expect(formatSql('select o.order_id from shop.orders o left join shop.items i on true\nwhere true;\n')).toBe(
      'select o.order_id\nfrom shop.orders o\nleft join shop.items i on true\nwhere true;\n',
    );
    expect(formatSql('select o.order_id from shop.orders o where true;\n')).toBe(
      'select o.order_id from shop.orders o where true;\n',
    );
  });

  it('breaks code wider than 120 columns at its outermost parts', () => {
    const names = Array.from({ length: 12 }, (_, at) => `p_parameter_${at} text`).join(', ');
    const formatted = formatSql(
      `create function shop.find(${names}) returns table (order_id bigint, paid_at timestamptz);\n`,
    );
    expect(formatted.split('\n').slice(0, 2)).toEqual([
      'create function shop.find(',
      `  ${names.split(', ').slice(0, 5).join(', ')},`,
    ]);
    expect(Math.max(...formatted.split('\n').map((line) => line.length))).toBeLessThanOrEqual(120);
  });

  it('wraps comments wider than 100 columns without a change of their words', () => {
    const words = Array.from({ length: 40 }, (_, at) => `word${at}`).join(' ');
    const formatted = formatSql(`-- ${words}\ncomment on table shop.orders is '${words} and the customer''s';\n`);
    expect(Math.max(...formatted.split('\n').map((line) => line.length))).toBeLessThanOrEqual(100);
    expect(formatted.replaceAll(/\n-- /g, ' ').replaceAll(/ '\n {2}'/g, ' ')).toBe(
      `-- ${words}\ncomment on table shop.orders is\n  '${words} and the customer''s';\n`,
    );
    expect(formatSql(formatted)).toBe(formatted);
  });

  it('keeps the text of strings, quoted names and dynamic SQL', () => {
    const text = `select 'A  b', "Quoted  Name", $q$select  1$q$, e'\\n';\n`;
    expect(formatSql(text)).toBe(text);
  });
});

describe('the SQL linter', () => {
  it('finds no fault in clean SQL', () => {
    expect(rulesOf(clean)).toEqual([]);
  });

  it.each([
    ['a syntax error', clean.replace('primary key', 'primary kee'), '2 syntax'],
    [
      'a variable that is never read',
      clean.replace('v_found boolean;', 'v_found boolean;\n  v_other text;'),
      '15 unused',
    ],
    [
      'a parameter that is never read',
      clean
        .replace('(p_order_id bigint)', '(p_order_id bigint, p_why text)')
        .replace('pay(bigint)', 'pay(bigint, text)'),
      '9 unused',
    ],
    ['a variable without its prefix', clean.replaceAll('v_found', 'found_one'), '14 naming'],
    ['a function without search_path', clean.replace("set search_path = ''\n", ''), '9 search-path'],
    [
      'a table without row security',
      clean.replace('alter table shop.orders force row level security;\n', ''),
      '1 row-security',
    ],
    ['a function without a comment', clean.replace(/comment on function.*\n/, ''), '9 comment'],
    ['a name without a schema', clean.replaceAll('shop.pay', 'pay'), '9 schema'],
    ['a column type that has a better one', clean.replace('timestamptz\n', 'timestamp\n'), '1 type'],
    ['a policy for everyone', `${clean}create policy "open" on shop.orders for select using (true);\n`, '24 policy'],
    [
      'a view that runs as its owner',
      `${clean}create view shop.paid as select 1;\ncomment on view shop.paid is 'x';\n`,
      '24 invoker',
    ],
    ['an insert by position', `${clean}insert into shop.orders select 1, null;\n`, '24 insert'],
    ['a line that is too wide', `${clean}-- ${'x'.repeat(100)}\n`, '24 width'],
  ])('reports %s with its line', (_, text, fault) => {
    expect(rulesOf(text)).toEqual([fault]);
  });
});
