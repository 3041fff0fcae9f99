/** What `/readyz` answers. */
export interface Readiness {
  readonly status: string;
  readonly checks: Readonly<Record<string, { readonly status: string; readonly detail?: string }>>;
}

/** null: it is none of ours that answered. */
export function readinessIn(text: string): Readiness | null {
  try {
    const found = JSON.parse(text) as Partial<Readiness> | null;
    return typeof found?.checks === 'object' && typeof found.status === 'string'
      ? (found as Readiness)
      : null;
  } catch {
    return null;
  }
}
