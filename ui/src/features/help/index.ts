export { Book } from './Book';
