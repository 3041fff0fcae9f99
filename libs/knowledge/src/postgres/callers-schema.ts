/** A line for each table and view that can be read: its columns with their types, then its keys. */
export const SCHEMA_QUERY = `
  SELECT format('%I.%I (%s)%s', n.nspname, c.relname,
    (SELECT string_agg(format('%I %s%s', a.attname, format_type(a.atttypid, a.atttypmod),
        CASE WHEN a.attnotnull THEN ' not null' ELSE '' END), ', ' ORDER BY a.attnum)
      FROM pg_attribute a WHERE a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped),
    (SELECT coalesce(string_agg('; ' || pg_get_constraintdef(k.oid), '' ORDER BY k.contype DESC, k.conname), '')
      FROM pg_constraint k WHERE k.conrelid = c.oid AND k.contype IN ('p', 'f', 'u')))
  FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
  WHERE c.relkind IN ('r', 'v', 'm', 'f', 'p') AND NOT c.relispartition
    AND n.nspname <> 'information_schema' AND n.nspname !~ '^pg_'
    AND has_schema_privilege(n.oid, 'USAGE') AND has_table_privilege(c.oid, 'SELECT')
  ORDER BY n.nspname, c.relname`;
