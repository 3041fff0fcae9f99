/** A line for each table and view of the database: its columns with their types and keys. */
export const SCHEMA_QUERY = `
  SELECT CONCAT(c.table_schema, '.', c.table_name, ' (', GROUP_CONCAT(
      CONCAT(c.column_name, ' ', c.column_type,
        CASE WHEN c.is_nullable = 'NO' THEN ' not null' ELSE '' END,
        CASE c.column_key WHEN 'PRI' THEN ' primary key' WHEN 'UNI' THEN ' unique' ELSE '' END,
        COALESCE((SELECT CONCAT(' references ', k.referenced_table_name, '(', k.referenced_column_name, ')')
          FROM information_schema.key_column_usage k
          WHERE k.table_schema = c.table_schema AND k.table_name = c.table_name
            AND k.column_name = c.column_name AND k.referenced_table_name IS NOT NULL LIMIT 1), ''))
      ORDER BY c.ordinal_position SEPARATOR ', '), ')') AS line
  FROM information_schema.columns c
  WHERE c.table_schema = COALESCE(DATABASE(), c.table_schema)
    AND c.table_schema NOT IN ('information_schema', 'mysql', 'performance_schema', 'sys')
  GROUP BY c.table_schema, c.table_name ORDER BY c.table_schema, c.table_name`;
