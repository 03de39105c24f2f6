import { calculateMaxCost, type Check, defineCheck } from '../../engine/check.ts'
import * as expect from '../../findings/expect.ts'
import { MULTIPART_BOUNDARY } from '../../requests/multipart.ts'
import { SERVED_OR_REJECTED } from './unusual-bodies.ts'

/** A valid form as its client sent it. */
interface SentForm {
  readonly body: Buffer
  readonly mediaType: string
  readonly boundary: string
}

/** A form that breaks a rule of RFC 7578, as faulty clients and interrupted uploads produce it. */
interface BrokenForm {
  /** Describes the form in the report. */
  readonly name: string
  breakForm(form: SentForm): Partial<Pick<SentForm, 'body' | 'mediaType'>>
}

const BROKEN_FORMS: readonly BrokenForm[] = [
  {
    name: 'a form whose header names another boundary',
    breakForm: ({ mediaType, boundary }) => ({ mediaType: mediaType.replace(boundary, `${boundary}-other`) }),
  },
  {
    name: 'a form without its last boundary',
    breakForm: ({ body, boundary }) => ({ body: body.subarray(0, body.lastIndexOf(`--${boundary}`)) }),
  },
  {
    name: 'a form that ends in the middle of the file',
    breakForm: ({ body }) => ({ body: body.subarray(0, body.byteLength / 2) }),
  },
  {
    name: 'a form whose file has no name',
    breakForm: ({ body }) => ({
      body: Buffer.from(body.toString('latin1').replace('form-data; name="file"; ', 'form-data; '), 'latin1'),
    }),
  },
]

// The specification does not state how a target rejects a broken form.
export const brokenFormCheck: Check = defineCheck({
  id: '7/broken-form-transcriptions',
  requirement: '7/500',
  title: 'serves or rejects a broken form, without breaking down',
  operation: 'transcriptions',
  cost: calculateMaxCost('transcriptions', 1 + BROKEN_FORMS.length),
  async run({ shared, transcriptions }) {
    const control = await shared.transcriptions()
    const { body = [], headers } = control.request
    const mediaType = headers['content-type'] ?? ''
    const form = { body: Buffer.from(body), mediaType, boundary: MULTIPART_BOUNDARY.exec(mediaType)?.[1] ?? '' }
    const invalid: expect.InvalidRequest[] = []
    for (const { name, breakForm } of BROKEN_FORMS) {
      const broken = { ...form, ...breakForm(form) }
      const options = { rawBody: broken.body, headers: { 'content-type': broken.mediaType } }
      invalid.push({ difference: { body: name }, response: await transcriptions({}, options) })
    }
    return expect.checkErrorResponses(invalid, SERVED_OR_REJECTED, { control })
  },
})
