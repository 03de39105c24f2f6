import { defineFinding, formatList } from './define.ts'
import { formatExcerpt } from './json-excerpt.ts'
import type { JsonExcerpt } from './fact-params.ts'
import { formatCount } from '../../common/format-count.ts'

const HOST_REMEDY =
  'configure each proxy in front of the service to forward the header Host (nginx: "proxy_set_header Host $http_host"; Apache: "ProxyPreserveHost On"; Caddy and haproxy forward it by default), or set --base-url to the address that clients use'

const SCHEME_REMEDY =
  'configure the proxy that terminates TLS to send the header X-Forwarded-Proto (nginx: "proxy_set_header X-Forwarded-Proto $scheme"), and the service to use this header in its URLs'

const PREFIX_REMEDY =
  'configure the service to add the path prefix that the gateway removes (for example with the header "X-Forwarded-Prefix" or the root path of the framework), or serve /v1 at the root of the gateway'

const ALIAS_REMEDY =
  'name the requested model in the response, or declare the other name under "aliases" of a target file'

/** Why the URL of an image is wrong, with the title of the cause and the setting of a proxy that removes it. */
const WRONG_URLS = {
  extension: { title: 'Image URLs do not end in an image file extension', remedy: undefined },
  'images-path': { title: 'Image URLs lie outside {base_url}/v1/images/', remedy: undefined },
  whitespace: { title: 'Image URLs contain whitespace, so they are not valid URLs', remedy: undefined },
  host: {
    title:
      'Image URLs begin with an address other than {base_url} (a gateway that does not forward the Host header has this effect)',
    remedy: HOST_REMEDY,
  },
  scheme: {
    title:
      'Image URLs begin with http: instead of https: (a service that does not detect TLS at its proxy has this effect)',
    remedy: SCHEME_REMEDY,
  },
  prefix: {
    title: 'Image URLs lack the path of {base_url} before /v1 (a gateway that removes a path prefix has this effect)',
    remedy: PREFIX_REMEDY,
  },
} as const

export type UrlProblem = keyof typeof WRONG_URLS

/** What is wrong with a body: the sentence of a finding, and the end of the title. */
const WRONG_BODIES = {
  empty: ['the body is empty', 'are empty'],
  'not-a-json-object': ['the body is not a JSON object', 'are not JSON objects'],
  json: ['the body is JSON', 'are JSON'],
  present: ['the response has a body', 'to HEAD requests have a body'],
  'byte-order-mark': ['the body starts with a byte order mark', 'start with a byte order mark'],
} as const

/** What is wrong with the text of a response. */
const DAMAGED_TEXTS = {
  'half-character': 'a string contains one half of a surrogate pair',
  'invalid-utf8': 'the body is not valid UTF-8',
  replaced: 'characters are replaced with U+FFFD',
} as const

export const BODY = {
  'missing-field': defineFinding<{ readonly path: string }>({
    sentence: ({ path }) => `${path} is missing`,
    title: (_params, { responses, fields }) => `${responses} have no ${fields}`,
  }),
  'wrong-type': defineFinding<{ readonly path: string; readonly actualType: string; readonly actual: JsonExcerpt }>({
    sentence: ({ path, actual }) => `${path} is ${formatExcerpt(actual)}`,
    title: (_params, { responses, fields }) => `${responses} have a wrong ${fields}`,
  }),
  'wrong-value': defineFinding<{
    readonly path: string
    readonly actual: JsonExcerpt
    readonly unit?: 'ms'
    /** What is wrong with the URL of an image. */
    readonly urlProblem?: UrlProblem
    /** Whether the target lists the model that the value names. */
    readonly isListed?: boolean
  }>({
    sentence: ({ path, actual, unit, urlProblem, isListed }) => {
      const reason =
        unit === 'ms'
          ? ': milliseconds, not seconds'
          : urlProblem === 'extension'
            ? ', without an image file extension'
            : ''
      const list = isListed === undefined ? '' : `, which the target ${isListed ? 'lists' : 'does not list'}`
      return `${path} is ${formatExcerpt(actual)}${reason}${list}`
    },
    title: ({ urlProblem }, { responses, fields }) =>
      urlProblem === undefined ? `${responses} have a wrong ${fields}` : WRONG_URLS[urlProblem].title,
    groupBy: ({ urlProblem }) => [urlProblem],
    remedy: ({ urlProblem, isListed }) => {
      if (isListed !== undefined) return ALIAS_REMEDY
      return urlProblem === undefined ? undefined : WRONG_URLS[urlProblem].remedy
    },
  }),
  'wrong-count': defineFinding<{ readonly path: string; readonly actualCount: number }>({
    harm: 'data',
    sentence: ({ path, actualCount }) => `${path} has ${formatCount(actualCount, 'item')}`,
    title: (_params, { responses, fields }) => `${responses} have a wrong number of items in ${fields}`,
  }),
  'duplicate-value': defineFinding<{ readonly path: string; readonly actual: JsonExcerpt }>({
    sentence: ({ path, actual }) =>
      actual === '' ? `${path} is empty` : `another one has the same ${path}, such as ${formatExcerpt(actual)}`,
    title: ({ path, actual }, { responses }) =>
      `${responses} have ${actual === '' ? 'an empty' : 'the same'} \`${path}\``,
    groupBy: ({ path }) => [path],
  }),
  'completion-repeated': defineFinding<{ readonly parameters: readonly string[]; readonly actual: JsonExcerpt }>({
    harm: 'data',
    sentence: ({ parameters, actual }) =>
      `the target sent the completion ${formatExcerpt(actual)} again for other ${formatList(parameters)}`,
    title: ({ parameters }) =>
      `Different chats get the same completion: a cache may ignore ${formatList(parameters.map((name) => `\`${name}\``))}`,
    groupBy: ({ parameters }) => parameters,
  }),
  'models-not-listed': defineFinding<{ readonly missing: readonly string[] }>({
    sentence: ({ missing }) => `the list does not contain ${missing.join(', ')}`,
    title: ({ missing }) => `The target does not list ${formatList(missing)}`,
  }),
  'model-listed-again': defineFinding<{ readonly model: JsonExcerpt }>({
    sentence: ({ model }) => `the list contains the id ${formatExcerpt(model)} more than once`,
    title: () => 'The list of models contains the same ID more than once',
  }),
  'unexpected-media-type': defineFinding<{ readonly actualMediaType: string }>({
    sentence: ({ actualMediaType }) => `the media type is "${actualMediaType}"`,
    title: ({ actualMediaType }, { responses }) =>
      `${responses} have ${actualMediaType === '' ? 'no media type' : `the wrong media type \`${actualMediaType}\``}`,
    groupBy: ({ actualMediaType }) => [actualMediaType],
  }),
  'missing-header': defineFinding<{ readonly header: string }>({
    sentence: ({ header }) => `the header ${header} is missing`,
    title: ({ header }, { responses }) => `${responses} have no header \`${header}\``,
    groupBy: ({ header }) => [header],
  }),
  'wrong-header': defineFinding<{ readonly header: string; readonly actual: string }>({
    sentence: ({ header, actual }) => `${header} is ${JSON.stringify(actual)}`,
    title: ({ header }, { responses }) => `${responses} have a wrong header \`${header}\``,
    groupBy: ({ header }) => [header],
  }),
  /** `present` means that a response to HEAD has a body. */
  'wrong-body': defineFinding<{ readonly problem: keyof typeof WRONG_BODIES }>({
    sentence: ({ problem }) => WRONG_BODIES[problem][0],
    title: ({ problem }, { responses }) => `${responses} ${WRONG_BODIES[problem][1]}`,
    groupBy: ({ problem }) => [problem],
  }),
  /** `actual` is the text around the damaged character. */
  'damaged-text': defineFinding<{ readonly problem: keyof typeof DAMAGED_TEXTS; readonly actual: JsonExcerpt }>({
    harm: 'data',
    sentence: ({ problem, actual }) => `${DAMAGED_TEXTS[problem]}: ${formatExcerpt(actual)}`,
    title: ({ problem }) => `Responses contain damaged text: ${DAMAGED_TEXTS[problem]}`,
    groupBy: ({ problem }) => [problem],
  }),
  /** The response at `position` contains the nonce of another request. */
  'cross-talk': defineFinding<{ readonly position: number; readonly responses: number }>({
    harm: 'data',
    sentence: ({ position, responses }) => `response ${position} of ${responses} contains the text of another response`,
    title: () => 'Responses contain the text of responses to other requests',
    groupBy: () => [],
  }),
  'sdk-differs': defineFinding<{
    readonly wire?: JsonExcerpt
    readonly sdk?: JsonExcerpt
    readonly error?: string
    readonly message?: string
  }>({
    harm: 'data',
    sentence: ({ wire, sdk, error, message }) => {
      const seen = wire === undefined ? 'nothing' : formatExcerpt(wire)
      const got =
        error === undefined
          ? `returned ${sdk === undefined ? 'nothing' : formatExcerpt(sdk)}`
          : `threw ${error}: ${message}`
      return `the response shows ${seen}; the SDK ${got}`
    },
    title: () => 'The openai SDK does not return the content of the response',
  }),
} as const
