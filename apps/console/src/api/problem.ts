export interface FieldError {
  readonly path: string;
  readonly message: string;
}

/** A refusal of the service (RFC 9457), or that it could not be reached (status 0). */
export class ApiProblem extends Error {
  override readonly name = 'ApiProblem';

  constructor(
    readonly status: number,
    readonly code: string,
    readonly title: string,
    readonly detail: string,
    readonly requestId: string | null = null,
    readonly retryAfterS: number | null = null,
    readonly errors: readonly FieldError[] = [],
  ) {
    super(`${title}: ${detail}`);
  }
}

/** The refusal that an answer is. */
export async function problemOf(answer: Response): Promise<ApiProblem> {
  const body = (await answer.json().catch(() => null)) as Record<string, unknown> | null;
  const text = (name: string, otherwise: string): string =>
    typeof body?.[name] === 'string' ? body[name] : otherwise;
  const seconds = Number(answer.headers.get('retry-after') ?? Number.NaN);
  return new ApiProblem(
    answer.status,
    text('code', 'unknown'),
    text('title', answer.statusText || `Status ${answer.status}`),
    text('detail', 'The service said no more.'),
    answer.headers.get('x-request-id') ?? (text('request_id', '') || null),
    Number.isFinite(seconds) ? seconds : null,
    Array.isArray(body?.['errors']) ? (body['errors'] as readonly FieldError[]) : [],
  );
}

/** The service did not answer. */
export const unreachable = (): ApiProblem =>
  new ApiProblem(
    0,
    'unreachable',
    'No answer',
    'The service cannot be reached. Is it running, and is the network there?',
  );

/** What stands for an error of any kind. */
export const asProblem = (error: unknown): ApiProblem =>
  error instanceof ApiProblem
    ? error
    : new ApiProblem(
        0,
        'internal',
        'Something went wrong',
        error instanceof Error ? error.message : String(error),
      );
