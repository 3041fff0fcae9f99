export { may } from '../app/session.js';
