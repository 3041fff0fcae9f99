import { ArrayMaxSize, IsArray, IsBoolean, IsIn } from 'class-validator';
import {
  Describe,
  IsFilledText,
  IsHeaderValue,
  IsName,
  MayBeOmitted,
  Nested,
  NestedBy,
  all,
} from '../../../edge/validation/decorators.js';
import { LENGTHS } from '../../../edge/validation/lengths.js';
import { IsHttpUrl } from '../dto/http-url.js';

class BearerAuthDto {
  @IsIn(['bearer'])
  readonly type!: 'bearer';

  @IsFilledText(LENGTHS.token)
  @IsHeaderValue()
  readonly token!: string;
}

class OauthDto {
  @IsFilledText(LENGTHS.token)
  @IsHeaderValue()
  readonly accessToken!: string;
}

class OauthAuthDto {
  @IsIn(['oauth'])
  readonly type!: 'oauth';

  @Nested(OauthDto)
  readonly oauth!: OauthDto;
}

export class McpServerDto {
  @IsName()
  readonly serverName!: string;

  @IsHttpUrl()
  @Describe({ examples: ['https://example.com/mcp'] })
  readonly serverUrl!: string;

  @MayBeOmitted()
  @IsBoolean()
  readonly required?: boolean;

  @MayBeOmitted()
  @NestedBy('type', { bearer: BearerAuthDto, oauth: OauthAuthDto })
  readonly auth?: BearerAuthDto | OauthAuthDto;
}

/** Tool servers of a run, at most 20; may be left out. */
export const McpServerList = (): PropertyDecorator =>
  all(MayBeOmitted(), IsArray(), ArrayMaxSize(20), Nested(McpServerDto));

/** Another name of `mcp_servers`. */
export const McpServerListAlias = (): PropertyDecorator =>
  all(McpServerList(), Describe({ description: 'Another name of mcp_servers.', deprecated: true }));
