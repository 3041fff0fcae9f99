import { Optional, OptionalUnion, Required, RequiredObject } from '../../../edge/validation/fields.js';
import {
  type Rule,
  flag,
  httpUrl,
  isObject,
  nameText,
  oneOf,
  token,
} from '../../../edge/validation/rules.js';

class BearerAuthDto {
  @Required(oneOf('bearer')) readonly type!: 'bearer';
  @Required(token) readonly token!: string;
}

class OauthDto {
  @Required(token) readonly accessToken!: string;
}

class OauthAuthDto {
  @Required(oneOf('oauth')) readonly type!: 'oauth';
  @RequiredObject(OauthDto) readonly oauth!: OauthDto;
}

const AUTHS = new Map<unknown, new () => object>([
  ['bearer', BearerAuthDto],
  ['oauth', OauthAuthDto],
]);

const typeOf = (value: unknown): unknown => (isObject(value) ? value['type'] : undefined);

const auth: Rule = (value) => {
  if (!isObject(value)) return { message: 'must be an object' };
  return AUTHS.has(typeOf(value)) ? null : { message: 'must be one of bearer, oauth', at: '.type' };
};

export class McpServerDto {
  @Required(nameText) readonly serverName!: string;
  @Required(httpUrl) readonly serverUrl!: string;
  @Optional(flag) readonly required?: boolean;
  @OptionalUnion([BearerAuthDto, OauthAuthDto], auth, (value) => AUTHS.get(typeOf(value)) ?? BearerAuthDto)
  readonly auth?: BearerAuthDto | OauthAuthDto;
}
