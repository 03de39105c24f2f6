import { convention, stated, unspecified } from '../../engine/requirement.ts'

const INTERFACE = 'The service gives one HTTP interface to several language models from different providers.'

/** Sections 3, 4 (introduction), 6 and 9. */
export const endpointRequirements = [
  unspecified(
    '3/states',
    'States and transitions: not shown. No resource with a lifecycle is described.',
    'no request reads or changes a state, so there is nothing to send',
  ),
  stated(
    '4/authorization',
    'Every request carries the Authorization header (section 5).',
    'the rule of section 5, checked there for each operation: 5/bearer, 5/missing-or-invalid',
  ),
  stated('4/json-content-type', 'Requests with a JSON body use the header Content-Type: application/json.'),
  unspecified('4/other-content-types', 'Requests with a JSON body use the header Content-Type: application/json.'),
  stated(
    '4/multipart',
    'The transcription request is multipart form data.',
    'repeated in section 4.4 and checked there: 4.4/form',
  ),
  unspecified('4/wrong-method', '| 404 | Not Found | Invalid endpoint or model |'),
  unspecified('4/http', INTERFACE),
  convention('4/head-body', INTERFACE),
  unspecified('4/http-connection', INTERFACE),
  unspecified(
    '6/events',
    'Events: not shown. Webhooks and other event notifications are not described. Streaming of chat completions is described in 4.2.',
    'no request causes an event, so no check can test events; the checks of section 4.2 test the stream',
  ),
  stated(
    '9/prefix',
    'All operations live under the path prefix /v1.',
    'each request of the suite uses the prefix; 1/five-operations fails where an operation does not',
  ),
  unspecified('9/policy', 'Versioning policy, deprecation rules and other versions: not shown.'),
]
