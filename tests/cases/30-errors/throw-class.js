throw class Boom {};
