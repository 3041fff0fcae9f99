import { IsInt, Max, Min } from 'class-validator';
import { invalid } from '#domain';
import { IsFilledText, MayBeOmitted, Satisfies } from '../../edge/validation/decorators.js';
import { LENGTHS } from '../../edge/validation/lengths.js';

/** `POST /console/auth`: one of the two. */
export class SignInDto {
  @MayBeOmitted()
  @IsFilledText(LENGTHS.token)
  readonly key?: string;

  /** What a link to the console has behind its `#`. */
  @MayBeOmitted()
  @IsFilledText(LENGTHS.token)
  readonly link?: string;
}

/** @throws Problem invalid_request where it is not one of the two */
export function wayIn({ key, link }: SignInDto): { readonly key: string } | { readonly link: string } {
  if (key !== undefined && link === undefined) return { key };
  if (link !== undefined && key === undefined) return { link };
  throw invalid('key', 'must be there, or link, and not both');
}

const DAY_S = 86_400;

/** `POST /api-keys/{id}/sign-in-links` */
export class SignInLinkDto {
  @MayBeOmitted()
  @IsFilledText(LENGTHS.url)
  @Satisfies('isConsolePath', (value) =>
    typeof value === 'string' &&
    /^\/console(?:[/?][\x21-\x5b\x5d-\x7e]*)?$/.test(value) &&
    !value.includes('//')
      ? null
      : { message: 'must be a path under /console' },
  )
  readonly to?: string;

  @MayBeOmitted()
  @IsInt()
  @Min(60)
  @Max(7 * DAY_S)
  readonly expires_s?: number;
}
