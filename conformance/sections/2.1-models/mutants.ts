import type { Mutant } from '../../mutation/mutant.ts'
import { changeSuccesses, changeProperty, rejectRequests, setProperty } from '../../mutation/change/responses.ts'
import { matchFieldsOf, matchOperation } from '../../mutation/change/match.ts'
import { matchKey } from '../shared/mutants-emulator-keys.ts'
import {
  matchMissingField,
  matchObserved,
  matchUnexpectedStatus,
  matchWrongType,
  matchWrongValue,
} from '../../mutation/result-match.ts'

const LIST_FIELDS = ['2.1/id', '2.1/object', '2.1/created', '2.1/owned-by', '2.1/all-listed']

function inModels(name: string, change: (value: unknown) => unknown): Mutant['hooks'] {
  return changeSuccesses(matchOperation('models'), changeProperty(name, change))
}

export const modelMutants: readonly Mutant[] = [
  {
    id: '2.1/model-without-id',
    breaks: 'the list has a ninth model with a name instead of an id',
    kills: { '2.1/id': matchMissingField('data[8].id') },
    hooks: inModels('data', (models) => [
      ...(Array.isArray(models) ? models : []),
      { name: 'another', object: 'model', created: 1_735_689_600, owned_by: 'another' },
    ]),
  },
  {
    id: '2.1/engine-for-model',
    breaks: 'the object type of models is "engine"',
    kills: { '2.1/object': matchWrongValue('data[0].object', 'engine') },
    hooks: inModels('object', (value) => (value === 'model' ? 'engine' : value)),
  },
  {
    id: '2.1/created-in-ms',
    breaks: 'the created time of models is in milliseconds',
    kills: { '2.1/created': { code: 'wrong-value', params: { path: 'data[0].created', unit: 'ms' } } },
    hooks: inModels('created', (value) => Number(value) * 1000),
  },
  {
    id: '2.1/created-as-date',
    breaks: 'the created time of models is a date string',
    kills: { '2.1/created': matchWrongType('data[0].created', 'string', '2025-01-01T00:00:00Z') },
    hooks: inModels('created', () => '2025-01-01T00:00:00Z'),
  },
  {
    id: '2.1/no-owner',
    breaks: 'the owner of models is null',
    kills: { '2.1/owned-by': matchWrongType('data[0].owned_by', 'null') },
    hooks: inModels('owned_by', () => null),
  },
  {
    id: '4.1/other-list-for-one-key',
    breaks: 'the list for the account without credits has no owners',
    kills: { '4.1/every-list': matchMissingField('data[0].owned_by') },
    hooks: changeSuccesses(matchOperation('models', matchKey('noCredits')), setProperty('owned_by', undefined)),
  },
  {
    id: '2.1/model-left-out',
    breaks: 'one of the eight models is not in the list',
    kills: { '2.1/all-listed': { code: 'models-not-listed', params: { missing: ['vendora-reasoner'] } } },
    hooks: inModels('data', (models) =>
      Array.isArray(models) ? models.filter(({ id }) => id !== 'vendora-reasoner') : models,
    ),
  },
  {
    id: '2.1/model-listed-twice',
    breaks: 'the list contains one of the models twice',
    kills: { '2.1/ids-differ': { code: 'model-listed-again', params: { model: 'vendora-v4-flash' } } },
    hooks: inModels('data', (models) => (Array.isArray(models) ? [...models, models[0]] : models)),
  },
  {
    id: '2.1/listed-and-not-served',
    breaks: 'one of the eight models is listed but does not serve chat',
    kills: {
      '2.1/all-answer-chat': matchUnexpectedStatus(404, { parameter: 'model', value: 'vendorb-haiku-3.5' }),
      '2.1/all-stream-chat': matchUnexpectedStatus(404, { parameter: 'model', value: 'vendorb-haiku-3.5' }),
    },
    hooks: rejectRequests(matchFieldsOf('chat', { model: 'vendorb-haiku-3.5' }), 404),
  },
  {
    id: '2.1/cheapest-draws-nothing',
    breaks: 'nothing: a target may choose which models serve images',
    kills: {
      '2.1/capabilities': matchObserved({
        kind: 'by-model',
        responses: [
          { model: 'vendora-v4-flash', operation: 'images', actualStatus: 404 },
          { model: 'vendorc-4o', operation: 'images', actualStatus: 200 },
          {},
          {},
          {},
          {},
        ],
      }),
    },
    hooks: rejectRequests(matchFieldsOf('images', { model: 'vendora-v4-flash' }), 404),
  },
  {
    id: '4.1/other-object',
    breaks: 'the object type of the list is "models"',
    kills: { '4.1/list-shape': matchWrongValue('object', 'models') },
    hooks: inModels('object', (value) => (value === 'list' ? 'models' : value)),
  },
  {
    id: '4.1/data-by-id',
    breaks: 'data is an object with the models by id, not an array',
    kills: { '4.1/list-shape': matchWrongType('data', 'object') },
    mayAffect: LIST_FIELDS,
    hooks: inModels('data', (models) =>
      Object.fromEntries(Array.isArray(models) ? models.map((model) => [model.id, model]) : []),
    ),
  },
  {
    id: '4.1/ids-alone',
    breaks: 'data contains only the ids, not objects',
    kills: { '4.1/list-shape': matchWrongType('data[0]', 'string', 'vendora-v4-flash') },
    mayAffect: LIST_FIELDS,
    hooks: inModels('data', (models) => (Array.isArray(models) ? models.map(({ id }) => id) : models)),
  },
]
