import type { TransactionSql } from 'postgres';

/** One line of the manifest. */
type ManifestLine = { kind: string; name: string; text: string };

/**
 * `role privilege, privilege` of an access list, without the owner's rights; public by that name.
 */
const granted = (acl: string, owner: string) => `
  coalesce((
    select string_agg(g.role || ' ' || g.privileges, '; ' order by g.role collate "C")
    from (
      select coalesce(r.rolname, 'public') as role,
             string_agg(lower(a.privilege_type) || case when a.is_grantable then ' with grant option' else '' end, ', '
               order by a.privilege_type collate "C") as privileges
      from aclexplode(${acl}) a
      left join pg_roles r on r.oid = a.grantee
      where a.grantee <> ${owner}
      group by r.rolname
    ) g
  ), 'no role')`;

/**
 * Objects that postgres owns; objects of the platform are left out. Partitions are left out as
 * well: they come and go, and only the owner of their parent reaches them.
 */
const rightsQuery = `
with schemas as (
  select n.* from pg_namespace n where n.nspowner = 'postgres'::regrole
), lines as (
  select 'role' as kind, r.rolname::text as name,
         concat_ws(', ',
           case when r.rolsuper then 'superuser' end, case when r.rolbypassrls then 'bypasses row security' end,
           case when r.rolcreaterole then 'creates roles' end, case when r.rolcreatedb then 'creates databases' end,
           case when r.rolreplication then 'replication' end, case when r.rolinherit then 'inherits' end,
           (select 'member of ' || string_agg(m.roleid::regrole::text, ', ' order by m.roleid::regrole::text collate "C")
            from pg_auth_members m where m.member = r.oid)
         ) as text
  from pg_roles r where r.rolname like 'parallax\\_%'
  union all
  select 'schema', n.nspname, ${granted("coalesce(n.nspacl, acldefault('n', n.nspowner))", 'n.nspowner')} from schemas n
  union all
  select case c.relkind when 'v' then 'view' when 'm' then 'materialized view' when 'S' then 'sequence' else 'table' end,
         c.oid::regclass::text,
         case
           when c.relkind in ('r', 'p') then
             case when c.relforcerowsecurity and c.relrowsecurity then 'row security forced: '
                  when c.relrowsecurity then 'row security: ' else 'no row security: ' end
           when c.relkind = 'v' then
             case when c.reloptions @> '{security_invoker=true}' then 'rights of its caller: ' else 'rights of its owner: ' end
           else ''
         end || ${granted("coalesce(c.relacl, acldefault(case c.relkind when 'S' then 's' else 'r' end::\"char\", c.relowner))", 'c.relowner')}
  from pg_class c join schemas n on n.oid = c.relnamespace
  where c.relkind in ('r', 'p', 'v', 'm', 'S') and not c.relispartition
  union all
  select 'columns', g.name, g.role || ' ' || g.privilege || ' (' || string_agg(g.attname, ', ' order by g.attname collate "C") || ')'
  from (
    select c.oid::regclass::text as name, coalesce(r.rolname, 'public') as role, lower(x.privilege_type) as privilege, a.attname
    from pg_attribute a
    join pg_class c on c.oid = a.attrelid and not c.relispartition
    join schemas n on n.oid = c.relnamespace
    cross join aclexplode(a.attacl) x
    left join pg_roles r on r.oid = x.grantee
    where a.attacl is not null and not a.attisdropped
  ) g
  group by g.name, g.role, g.privilege
  union all
  select 'function', p.oid::regprocedure::text,
         case when p.prosecdef
           then 'rights of its owner, ' || coalesce((select s from unnest(p.proconfig) s where s like 'search_path=%'), 'NO SEARCH PATH') || ': '
           else '' end
         || ${granted("coalesce(p.proacl, acldefault('f', p.proowner))", 'p.proowner')}
  from pg_proc p join schemas n on n.oid = p.pronamespace
  where p.prosecdef or exists (
    select from aclexplode(coalesce(p.proacl, acldefault('f', p.proowner))) a where a.grantee <> p.proowner
  )
  union all
  select 'type', format_type(t.oid, null), ${granted("coalesce(t.typacl, acldefault('T', t.typowner))", 't.typowner')}
  from pg_type t join schemas n on n.oid = t.typnamespace
  where t.typtype in ('d', 'e') and exists (
    select from aclexplode(coalesce(t.typacl, acldefault('T', t.typowner))) a where a.grantee <> t.typowner
  )
  union all
  select 'policy', p.polrelid::regclass::text || ' "' || p.polname || '"',
         case p.polcmd when 'r' then 'select' when 'a' then 'insert' when 'w' then 'update' when 'd' then 'delete' else 'all' end
         || case when p.polpermissive then '' else ' (restrictive)' end || ' to '
         || (select string_agg(coalesce(r.rolname, 'public'), ', ' order by r.rolname collate "C")
             from unnest(p.polroles) o left join pg_roles r on r.oid = o)
         || coalesce(' using ' || regexp_replace(pg_get_expr(p.polqual, p.polrelid), '\\s+', ' ', 'g'), '')
         || coalesce(' with check ' || regexp_replace(pg_get_expr(p.polwithcheck, p.polrelid), '\\s+', ' ', 'g'), '')
  from pg_policy p join pg_class c on c.oid = p.polrelid
  where c.relnamespace in (select oid from schemas) or c.oid = 'realtime.messages'::regclass
  union all
  select 'default', 'objects that postgres creates'
           || coalesce(' in schema ' || n.nspname, ''),
         case d.defaclobjtype when 'f' then 'functions' when 'r' then 'tables' when 'S' then 'sequences' when 'T' then 'types' else 'schemas' end
         || ': ' || ${granted('d.defaclacl', 'd.defaclrole')}
  from pg_default_acl d left join pg_namespace n on n.oid = d.defaclnamespace
  where d.defaclrole = 'postgres'::regrole
)
select kind, name, text from lines`;

const KIND_ORDER = [
  'role',
  'default',
  'schema',
  'table',
  'view',
  'materialized view',
  'sequence',
  'columns',
  'policy',
  'function',
  'type',
];

const headings: Record<string, string> = {
  role: 'Roles that functions log in as',
  default: 'Default privileges',
  schema: 'Schemas',
  table: 'Tables',
  view: 'Views',
  'materialized view': 'Materialized views',
  sequence: 'Sequences',
  columns: 'Columns with their own grants',
  policy: 'Policies',
  function: 'Functions that other roles may call, or that run with the rights of their owner',
  type: 'Types that other roles may use',
};

/**
 * The rights of every role in the database behind `sql`, as the text of `sql/rights.txt`: sorted,
 * one line per object. Objects that are not listed are open only to their owner `postgres`. Takes a
 * transaction: `sql.begin(renderRights)`.
 */
export async function renderRights(sql: TransactionSql): Promise<string> {
  // With an empty search path, all names include their schema.
  await sql`set local search_path = ''`;
  const lines = await sql.unsafe<ManifestLine[]>(rightsQuery);
  const sections = KIND_ORDER.flatMap((kind) => {
    const found = lines.filter((line) => line.kind === kind).map((line) => `${line.name}  ${line.text}`);
    return found.length > 0 ? [`# ${headings[kind]}\n${found.sort().join('\n')}\n`] : [];
  });
  return `${fileHeader}\n${sections.join('\n')}`;
}

const fileHeader = `The rights of every role in the database that sql/ builds. \`npm run manifest\` writes this file, and
tests/repository/rights.db.test.ts compares it, so a change of rights is a change of this file. Each line: the
object, then the rights of roles other than its owner postgres.
`;
