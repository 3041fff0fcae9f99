const SHAPE = /^[A-Z0-9_]{1,40}$/;

/** SQLSTATE of the server or code of the system; TypeORM keeps it one level down. null: the error has none. */
export function errorCodeOf(error: unknown): string | null {
  if (typeof error !== 'object' || error === null) return null;
  const { code, driverError } = error as { code?: unknown; driverError?: unknown };
  if (typeof code === 'string') return SHAPE.test(code) ? code : null;
  return driverError === undefined ? null : errorCodeOf(driverError);
}

/** Said by the server, not by the system below it. */
export const isSqlState = (code: string): boolean => /^[0-9FHPX][0-9A-Z]{4}$/.test(code);

/** Connection, authorization, no such database, resources, operator intervention, system error: nothing about the statement. */
export const isOfConnection = (code: string): boolean => /^(?:08|28|3D|53|57|58)/.test(code);

/** A table or the schema that it stands in is not there. */
export const isMissingTable = (error: unknown): boolean => {
  const code = errorCodeOf(error);
  return code === '42P01' || code === '3F000';
};
