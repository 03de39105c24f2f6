import { stated, unspecified } from '../../engine/requirement.ts'

const BEARER = 'Every request requires a bearer token: Authorization: Bearer <API_KEY>.'

export const authenticationRequirements = [
  stated('5/bearer', BEARER),
  unspecified('5/scheme-letter-case', BEARER),
  stated('5/prefix', 'API keys start with the prefix sk-svc- followed by the key body.'),
  stated(
    '5/console',
    "Keys are created and managed in the service's console, which is outside this HTTP interface.",
    'outside HTTP, as the sentence states',
  ),
  stated('5/valid-key', 'A request must carry a valid key whose account has enough credits for the operation.'),
  unspecified(
    '5/models-credits',
    'A request must carry a valid key whose account has enough credits for the operation.',
  ),
  stated('5/missing-or-invalid', 'A missing or invalid key gives status 401.'),
  unspecified('5/challenge', 'A missing or invalid key gives status 401.'),
  stated('5/insufficient-credits', 'Insufficient credits give status 402.'),
  stated('5/concurrent-spending', 'Insufficient credits give status 402.'),
]
