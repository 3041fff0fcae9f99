import type { Scope, ProjectId } from '#domain';

/** Who asks: a key's id, its project and what it may do. */
export interface Principal {
  readonly keyId: string;
  readonly project: ProjectId;
  readonly scopes: ReadonlySet<Scope>;
  /** The operator's first admin key: it administers the keys of all projects. */
  readonly isRoot: boolean;
  /** ms since 1970; absent: never. What it was given is cut off then. */
  readonly expiresAt?: number;
}
