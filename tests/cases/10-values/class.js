return class A {};
