import { Body, Controller, Module, Post, Query } from '@nestjs/common';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import {
  ArrayMaxSize,
  ArrayNotEmpty,
  IsArray,
  IsEmail,
  IsIn,
  IsInt,
  IsOptional,
  IsString,
  IsUUID,
  Matches,
  Max,
  Min,
  ValidateIf,
} from 'class-validator';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type FieldError, Problem } from '#domain';
import { SilentLogger, SystemClock, SystemRandom } from '#platform';
import { Authenticator } from '../admission/authenticator.js';
import { createHttpApp, listen } from '../create-http-app.js';
import { Operation, answer } from '../routes/operation.js';
import { FromDigits, MaxCharacters, MayBeOmitted, Nested } from './decorators.js';
import { fieldsOf } from './dto-fields.js';
import { schemaOf } from './field-schema.js';
import { QueryStringDto, validated } from './validate.js';

class NoKeys extends Authenticator {
  override authenticate(): null {
    return null;
  }
}

class AddressDto {
  @IsString()
  readonly city!: string;
}

class InvitationDto {
  @IsEmail()
  readonly email!: string;

  @IsOptional()
  @IsUUID()
  readonly team?: string | null;

  @MayBeOmitted()
  @IsArray()
  @ArrayNotEmpty()
  @ArrayMaxSize(3)
  @IsIn(['red', 'blue'], { each: true })
  readonly colours?: readonly string[];

  @ValidateIf(({ colours }: InvitationDto) => colours !== undefined)
  @Matches(/^[A-Z]+$/, { message: ({ property }) => `${property} is shouted` })
  readonly code?: string;

  @MayBeOmitted()
  @IsArray()
  @Nested(AddressDto)
  readonly addresses?: readonly AddressDto[];

  @MayBeOmitted()
  @Nested(AddressDto)
  readonly home?: AddressDto;

  @IsIn(['mail', 'post'])
  readonly by: 'mail' | 'post' = 'mail';
}

class LimitQuery extends QueryStringDto {
  @FromDigits()
  @IsInt()
  @Min(1)
  @Max(9)
  readonly limit: number = 5;
}

@Controller()
class InvitationsController {
  @Post('invitations')
  @Operation({
    id: 'invite',
    tag: 'operations',
    summary: 'Invites somebody',
    scope: null,
    query: LimitQuery,
    body: InvitationDto,
    answers: answer(200, {}),
  })
  invite(@Query() { limit }: LimitQuery, @Body() invitation: InvitationDto): object {
    return { limit, isDto: invitation instanceof InvitationDto, invitation };
  }
}

@Module({
  controllers: [InvitationsController],
  providers: [{ provide: Authenticator, useClass: NoKeys }],
})
class InvitationsModule {}

const errorsOf = (sent: unknown): readonly FieldError[] => {
  try {
    validated(InvitationDto, sent);
    return [];
  } catch (error) {
    if (error instanceof Problem) return error.more.errors ?? [];
    throw error;
  }
};

describe('a route whose parameters are DTOs', () => {
  let app: NestFastifyApplication;
  let origin = '';
  beforeAll(async () => {
    app = await createHttpApp(InvitationsModule, {
      settings: { maxBodyBytes: 4096, rateLimitRpm: 1000 },
      logger: new SilentLogger(),
      clock: new SystemClock(),
      random: new SystemRandom(),
    });
    origin = await listen(app, { host: '127.0.0.1', port: 0 });
  });
  afterAll(() => app.close());

  const invite = (body: object, query = ''): Promise<Response> =>
    fetch(`${origin}/invitations${query}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });

  it('is given instances of them, with what was left out', async () => {
    const answered = await invite({ email: 'ann@example.com' }, '?limit=7');
    expect(await answered.json()).toEqual({
      limit: 7,
      isDto: true,
      invitation: { email: 'ann@example.com', by: 'mail' },
    });
    expect(await (await invite({ email: 'ann@example.com' })).json()).toMatchObject({ limit: 5 });
  });

  it("refuses what class-validator's own decorators refuse, naming the field", async () => {
    const refused = await invite({ email: 'ann' });
    expect(refused.status).toBe(400);
    expect(refused.headers.get('content-type')).toBe('application/problem+json');
    expect(await refused.json()).toMatchObject({
      code: 'invalid_request',
      detail: 'email: must be an email',
      errors: [{ path: 'email', message: 'must be an email' }],
    });
    expect(await (await invite({ email: 'ann@example.com' }, '?limit=x&limits=2')).json()).toMatchObject({
      errors: [
        { path: 'limits', message: 'is not a known parameter' },
        { path: 'limit', message: 'must be a whole number' },
      ],
    });
  });
});

describe("class-validator's decorators", () => {
  const email = 'ann@example.com';

  it.each<[string, object, readonly FieldError[]]>([
    ['a field that may be null', { email, team: null }, []],
    ['a rule without words of ours', { email, team: 'x' }, [{ path: 'team', message: 'must be a UUID' }]],
    ['a condition that does not hold', { email, code: 'x' }, []],
    [
      'a condition that holds, and a message of its own',
      { email, colours: ['red'], code: 'x' },
      [{ path: 'code', message: 'code is shouted' }],
    ],
    ['an empty list', { email, colours: [], code: 'A' }, [{ path: 'colours', message: 'must not be empty' }]],
    [
      'an item of a list, by its index',
      { email, colours: ['red', 'green'], code: 'A' },
      [{ path: 'colours[1]', message: 'must be one of red, blue' }],
    ],
    [
      'fields of a DTO in a list',
      { email, addresses: [{ city: 'Rome' }, { town: 1 }, null] },
      [
        { path: 'addresses[1].town', message: 'is not a known field' },
        { path: 'addresses[1].city', message: 'is required' },
        { path: 'addresses[2]', message: 'must be an object' },
      ],
    ],
    ['a list where one DTO is meant', { email, home: [] }, [{ path: 'home', message: 'must be an object' }]],
    [
      'a name that every object has',
      { email, constructor: 'x' },
      [{ path: 'constructor', message: 'is not a known field' }],
    ],
  ])('are kept: %s', (_, sent, errors) => {
    expect(errorsOf(sent)).toEqual(errors);
  });

  it('are described as they are checked', () => {
    const [fields, colours, by] = [fieldsOf(InvitationDto), 'colours', 'by'];
    expect(schemaOf(fields.get('email')!)).toEqual({ type: 'string', format: 'email' });
    expect(schemaOf(fields.get(colours)!)).toEqual({
      type: 'array',
      minItems: 1,
      maxItems: 3,
      items: { enum: ['red', 'blue'] },
    });
    expect(schemaOf(fields.get(by)!)).toEqual({ enum: ['mail', 'post'], default: 'mail' });
  });

  it('are refused at the first use where they belong to a group, which nothing here asks for', () => {
    class GroupedDto {
      @MaxCharacters(3, { groups: ['new'] })
      readonly name!: string;
    }
    expect(() => fieldsOf(GroupedDto)).toThrow('name: rules that wait or that belong to a group');
  });
});
